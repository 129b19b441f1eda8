/** A thread that converts long texts of Trilium notes between HTML and markdown. It reads no file and opens no connection. */
import { conversions } from './notes/trilium-html/conversions.ts';
import { warmUp } from './notes/trilium-html/warm-up.ts';
import { serveJobs } from './shared/serve-jobs.ts';

serveJobs({ ...conversions, warmUp });

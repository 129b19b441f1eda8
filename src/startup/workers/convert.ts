/** A thread that converts long texts of Trilium notes between HTML and markdown. It reads no file and opens no connection. */

import { serveJobs } from '../../shared/serve-jobs.ts';
import { conversions } from '../../stores/trilium/html/conversions.ts';
import { warmUp } from '../../stores/trilium/html/warm-up.ts';

serveJobs({ ...conversions, warmUp });

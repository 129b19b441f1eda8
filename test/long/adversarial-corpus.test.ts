import { describeCorpus } from '../adversarial/every-note.ts';

describeCorpus('adversarial');

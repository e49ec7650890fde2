/** Run before every file of tests. */
import { beginFile } from './homes.ts';

beginFile();

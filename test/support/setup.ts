/** Run before every file of tests. */
import { deleteHomesAtTheEnd } from './homes.ts';

deleteHomesAtTheEnd();

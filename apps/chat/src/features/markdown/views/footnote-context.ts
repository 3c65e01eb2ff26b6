import { createContext } from 'react';

/** The prefix of footnote IDs, which is unique for each text: every text may have its own `[^1]`. */
export const FootnoteContext = createContext('');

import { createContext } from 'react';

/** What the ids of footnotes begin with: each text has its own `[^1]`. */
export const FootnoteContext = createContext('');

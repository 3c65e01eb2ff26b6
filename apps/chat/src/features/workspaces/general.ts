/** The team that everybody of an organisation is in. Named here too: the contract's value comes with all of its schemas. */
export const GENERAL_ID = 't-shared';

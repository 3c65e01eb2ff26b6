/** The ID of General, the team of everyone in the organization. The contract's own constant would load all its schemas. */
export const GENERAL_ID = 't-shared';

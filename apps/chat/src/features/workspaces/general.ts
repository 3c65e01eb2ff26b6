/** The ID of General, the team of everyone in the organization. Repeated here because importing the contract's value loads all schemas. */
export const GENERAL_ID = 't-shared';

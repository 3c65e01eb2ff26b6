/**
 * Expressions, or queries of one value, and what the warehouse's documentation says they answer; as JSON, in the form of our answers: times
 * are RFC 3339, bytes base64.
 */
export type Differential = readonly (readonly [sql: string, answer: unknown])[];

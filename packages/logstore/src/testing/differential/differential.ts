/**
 * Expressions, or queries of one value, and their answers; as JSON, in the form of our answers: times are RFC 3339, bytes base64.
 *
 * These are our own examples. Their answers follow from the rules of BigQuery's reference as its authors here know them; no one has asked
 * BigQuery. The examples that its pages show, with the answers that they show, are in documented/.
 */
export type Differential = readonly (readonly [sql: string, answer: unknown])[];

/** One observable sentence of the contract. */
export interface Requirement {
  /** Page and section the sentence stands in. */
  readonly source: string;
  /** What a caller sees, in our words. */
  readonly behaviour: string;
}

/** Gives all `sentences` (id → behaviour) of one section their source. */
export function fromSection<Id extends string>(
  source: string,
  sentences: Readonly<Record<Id, string>>,
): Readonly<Record<Id, Requirement>> {
  const entries = Object.entries<string>(sentences).map(([id, behaviour]) => [id, { source, behaviour }]);
  return Object.fromEntries(entries) as Record<Id, Requirement>;
}

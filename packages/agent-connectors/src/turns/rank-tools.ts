/** The searchable fields of a tool. */
export interface Findable {
  readonly name: string;
  readonly title: string;
  readonly connector: string;
  readonly description: string;
}

/** Weight of a match by field. */
const WEIGHTS = { name: 3, title: 3, connector: 2, description: 1 } as const;

/**
 * Returns the tools that match the words of a query, best first; equal ones in their original order. A word that only
 * shares its beginning with a query's word counts half.
 */
export function rankTools<Tool extends Findable>(tools: readonly Tool[], query: string, max: number): readonly Tool[] {
  const wanted = [...new Set(words(query))];
  const indexed = tools.map((tool) => ({
    tool,
    fields: Object.entries(WEIGHTS).map(([field, weight]) => ({
      weight,
      words: words(tool[field as keyof Findable]),
    })),
  }));
  const found = (text: readonly string[], word: string) =>
    text.includes(word) ? 1 : text.some((one) => isAlike(one, word)) ? 0.5 : 0;
  // A word that occurs in many tools says less.
  const rarity = new Map(
    wanted.map((word) => {
      const count = indexed.filter(({ fields }) => fields.some((field) => found(field.words, word) > 0)).length;
      return [word, count === 0 ? 0 : Math.log(1 + tools.length / count)];
    }),
  );
  return indexed
    .map(({ tool, fields }) => ({
      tool,
      score: wanted.reduce(
        (sum, word) =>
          sum + (rarity.get(word) ?? 0) * Math.max(...fields.map((field) => field.weight * found(field.words, word))),
        0,
      ),
    }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, max)
    .map(({ tool }) => tool);
}

/** Reports whether two words share their beginning: `issue` and `issues`, `creates` and `create`. */
function isAlike(one: string, other: string): boolean {
  const length = Math.min(one.length, other.length);
  return length >= 3 && one.slice(0, length) === other.slice(0, length);
}

/** Splits a text into lower-case words; `createIssue` and `create_issue` are two words. */
function words(text: string): readonly string[] {
  return (
    text
      .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/** What is used of the library, which declares no types. */
export interface Mermaid {
  initialize(options: Readonly<Record<string, unknown>>): void;
  /** @throws what is wrong with the source, in words of a parser's */
  render(id: string, source: string): Promise<{ readonly svg: string }>;
}

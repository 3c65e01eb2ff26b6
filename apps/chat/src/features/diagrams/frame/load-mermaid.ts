import url from '@mermaid-js/tiny/dist/mermaid.tiny.js?url';

/** What is used of the library, which declares no types. */
export interface Mermaid {
  initialize(options: Readonly<Record<string, unknown>>): void;
  /** @throws what is wrong with the source, in words of a parser's */
  render(id: string, source: string): Promise<{ readonly svg: string }>;
}

/** Loads the library: a script that sets a global, and would set none as a module. @throws Error when it can't be had */
export function loadMermaid(): Promise<Mermaid> {
  const script = document.createElement('script');
  script.src = url;
  return new Promise((resolve, reject) => {
    script.onload = () => resolve((globalThis as unknown as { readonly mermaid: Mermaid }).mermaid);
    script.onerror = () => reject(new Error('The library that draws diagrams could not be loaded.'));
    document.head.append(script);
  });
}

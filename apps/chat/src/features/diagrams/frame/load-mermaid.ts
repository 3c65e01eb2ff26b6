import url from '@mermaid-js/tiny/dist/mermaid.tiny.js?url';

/** The used part of the Mermaid library, which declares no types. */
export interface Mermaid {
  initialize(options: Readonly<Record<string, unknown>>): void;
  /** Renders a diagram to SVG. @throws the parser's error for an invalid source */
  render(id: string, source: string): Promise<{ readonly svg: string }>;
}

/** Loads Mermaid as a classic script, because it sets its global variable only there. @throws Error when it cannot be loaded */
export function loadMermaid(): Promise<Mermaid> {
  const script = document.createElement('script');
  script.src = url;
  return new Promise((resolve, reject) => {
    script.onload = () => resolve((globalThis as unknown as { readonly mermaid: Mermaid }).mermaid);
    script.onerror = () => reject(new Error('The library that draws diagrams could not be loaded.'));
    document.head.append(script);
  });
}

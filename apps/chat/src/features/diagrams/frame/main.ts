import type { DiagramAnswer, DiagramOrder } from '../diagram-order.ts';
import { diagramTheme } from './diagram-theme.ts';
import { loadMermaid } from './load-mermaid.ts';

/**
 * The frame in which diagrams are drawn. It is sandboxed without an origin, so that it has neither the page's nodes nor its
 * token, and its policy lets it load nothing: what a diagram's source makes the library do stays in here. What leaves it is
 * the text of a picture.
 */

/** Larger ones take a browser longer than a person waits. */
const MAX_CHARACTERS = 20_000;
const MAX_EDGES = 400;

const loading = loadMermaid();
// Told to who asks.
loading.catch(() => undefined);
let count = 0;

addEventListener('message', ({ data, ports: [port] }: MessageEvent<DiagramOrder>) => {
  if (!port) return;
  draw(data).then(
    (answer) => port.postMessage(answer),
    (error: unknown) => port.postMessage({ problem: firstLine(error) } satisfies DiagramAnswer),
  );
});

async function draw({ source, isDark }: DiagramOrder): Promise<DiagramAnswer> {
  const mermaid = await loading;
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    suppressErrorRendering: true,
    logLevel: 'fatal',
    theme: 'base',
    themeVariables: diagramTheme(isDark),
    // In a picture words can be no HTML.
    htmlLabels: false,
    flowchart: { htmlLabels: false, useMaxWidth: false },
    maxTextSize: MAX_CHARACTERS,
    maxEdges: MAX_EDGES,
    // What the source may not change by its own directives.
    secure: [
      ...['secure', 'securityLevel', 'startOnLoad', 'maxTextSize', 'maxEdges', 'suppressErrorRendering', 'logLevel'],
      ...['htmlLabels', 'theme', 'themeVariables', 'themeCSS', 'dompurifyConfig'],
    ],
  });
  if (source.length > MAX_CHARACTERS) throw new Error(`It has more than ${MAX_CHARACTERS} characters.`);
  const { svg } = await mermaid.render(`diagram-${++count}`, source);
  const { width, height } = sizeOf(svg);
  return { svg, width, height };
}

/** In CSS pixels: of the view box, where there is one. */
function sizeOf(svg: string): { readonly width: number; readonly height: number } {
  const root = new DOMParser().parseFromString(svg, 'image/svg+xml').documentElement;
  const [, , width = 0, height = 0] = (root.getAttribute('viewBox') ?? '').split(/[\s,]+/).map(Number);
  if (!(width > 0 && height > 0)) throw new Error('It is empty.');
  return { width, height };
}

/** Parsers tell the place by drawing an arrow below the line; the first three lines say it all. */
function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String((error as { str?: unknown })?.str ?? error);
  return text.split('\n').slice(0, 3).join('\n').slice(0, 500);
}

import url from '@mermaid-js/tiny/dist/mermaid.tiny.js?url';
import type { DiagramAnswer, DiagramOrder } from '../diagram-drawer.ts';

/**
 * The frame in which diagrams are drawn. Its sandbox has no origin, so it can access neither the page's DOM nor its token, and
 * its content security policy lets it load nothing: whatever a diagram's source makes the library do stays in the frame. Only
 * the text of an image leaves it.
 */

/** Limits of a diagram; a larger one takes longer to draw than people wait. */
const MAX_CHARACTERS = 20_000;
const MAX_EDGES = 400;

const loading = loadMermaid();
// Each request awaits `loading` and reports the error.
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
    // Labels of edges are half transparent otherwise: the edge would strike them through.
    themeCSS: '.edgeLabel rect, .labelBkg { opacity: 1 !important; }',
    // HTML labels do not render in an SVG image.
    htmlLabels: false,
    flowchart: { htmlLabels: false, useMaxWidth: false },
    maxTextSize: MAX_CHARACTERS,
    maxEdges: MAX_EDGES,
    // Settings that directives in the source must not change.
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

/** Returns the size of the SVG's view box in CSS pixels. @throws Error when it has none or is empty */
function sizeOf(svg: string): { readonly width: number; readonly height: number } {
  const root = new DOMParser().parseFromString(svg, 'image/svg+xml').documentElement;
  const [, , width = 0, height = 0] = (root.getAttribute('viewBox') ?? '').split(/[\s,]+/).map(Number);
  if (!(width > 0 && height > 0)) throw new Error('It is empty.');
  return { width, height };
}

/** Returns the first three lines of a parser's error, which include an arrow at the place; at most 500 characters. */
function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String((error as { str?: unknown })?.str ?? error);
  return text.split('\n').slice(0, 3).join('\n').slice(0, 500);
}

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

/** Returns the Mermaid theme variables for light or dark mode, with the colors of packages/ui/src/theme/theme.css. */
export function diagramTheme(isDark: boolean): Readonly<Record<string, unknown>> {
  const [ground, raised, soft, line, ink, inkSoft, accent] = isDark
    ? ['#171a1f', '#21252c', '#17263f', '#6f7682', '#ebedf0', '#a1a8b4', '#8ab4ff']
    : ['#ffffff', '#eef0f3', '#e8effc', '#888e9a', '#14171c', '#565c68', '#1d56c9'];
  return {
    darkMode: isDark,
    fontFamily: 'system-ui, "Noto Sans", "Noto Sans Arabic", sans-serif',
    fontSize: '14px',
    background: ground,
    primaryColor: soft,
    primaryTextColor: ink,
    primaryBorderColor: accent,
    secondaryColor: raised,
    secondaryTextColor: ink,
    secondaryBorderColor: line,
    tertiaryColor: ground,
    tertiaryTextColor: ink,
    tertiaryBorderColor: line,
    lineColor: inkSoft,
    textColor: ink,
    noteBkgColor: raised,
    noteTextColor: ink,
    noteBorderColor: line,
    edgeLabelBackground: ground,
    dropShadow: 'none',
    useGradient: false,
  };
}

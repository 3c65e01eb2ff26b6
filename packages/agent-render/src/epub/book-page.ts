import { escapeXml } from '@berth/agent-core';
import { Parser } from 'htmlparser2';

/** Elements that are kept: a book's structure. Styles are dropped, since they may reference any URL. */
const KEPT = new Set(
  'h1 h2 h3 h4 h5 h6 p div br hr b strong i em u s sub sup small blockquote pre code ul ol li dl dt dd table caption thead tbody tfoot tr th td figure figcaption section article aside header footer span q cite'.split(
    ' ',
  ),
);
const VOID = new Set(['br', 'hr']);
/** Elements that are dropped with their content. */
const DROPPED = new Set(
  'head script style title iframe object embed audio video math template noscript form'.split(' '),
);
const ATTRIBUTES = ['colspan', 'rowspan', 'dir', 'lang'];
/** Maximum depth of elements; no real text is nested deeper. */
const MAX_DEPTH = 200;

/** Markup, or a picture on the page. */
export type BookPiece = string | { readonly picture: string };

/** Returns the body of a book's page as plain markup that references nothing outside the book. */
export function bookPage(xhtml: string): readonly BookPiece[] {
  const pieces: BookPiece[] = [];
  const open: string[] = [];
  let dropping = 0;
  const show = (href: string | undefined) => {
    if (href !== undefined) pieces.push({ picture: href });
  };
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (DROPPED.has(name)) dropping++;
        if (dropping > 0) return;
        // A cover is often an SVG with one picture.
        if (name === 'img') show(attributes['src']);
        if (name === 'image') show(attributes['xlink:href'] ?? attributes['href']);
        if (!KEPT.has(name) || open.length >= MAX_DEPTH) return;
        const kept = ATTRIBUTES.filter((key) => attributes[key] !== undefined);
        pieces.push(`<${name}${kept.map((key) => ` ${key}="${escapeXml(attributes[key] as string)}"`).join('')}>`);
        if (!VOID.has(name)) open.push(name);
      },
      ontext(text) {
        if (dropping === 0) pieces.push(escapeXml(text));
      },
      onclosetag(name) {
        if (DROPPED.has(name)) dropping--;
        else if (dropping === 0 && open.at(-1) === name) pieces.push(`</${open.pop()}>`);
      },
    },
    { xmlMode: false, lowerCaseTags: true, recognizeSelfClosing: true },
  );
  parser.end(xhtml);
  return [...pieces, ...open.toReversed().map((name) => `</${name}>`)];
}

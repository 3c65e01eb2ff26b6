/** How office files are shown as PDF and slides. */
export type RenderOptions =
  /** A service that speaks Gotenberg's HTTP, at this address. */
  | { readonly url: string }
  /** The LibreOffice of this machine, in a sandbox. */
  | 'local'
  | false;

/** @throws what `wrong` makes of a sentence, for callers that no type checker helps. */
export function checkRenderOptions(render: unknown, wrong: (what: string) => Error): void {
  if (render === undefined || render === 'local' || render === false) return;
  const { url } = (render ?? {}) as { readonly url?: unknown };
  const parsed = typeof url === 'string' ? URL.parse(url) : null;
  if (parsed && ['http:', 'https:'].includes(parsed.protocol) && parsed.username === '' && parsed.search === '') return;
  throw wrong("render must be { url: 'http://gotenberg:3000' }, 'local' or false");
}

import type { Refusal } from '../admission/refusal.ts';

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad request',
  404: 'Not found',
  414: 'URI too long',
  429: 'Too many requests',
  501: 'Not implemented',
  502: 'Bad gateway',
  503: 'Service unavailable',
  504: 'Gateway timeout',
};

/**
 * Returns the body of a refusal: JSON `{"detail"}` for a client that prefers JSON, an HTML page for one that asks for HTML, else plain
 * text.
 */
export function errorBody(
  refusal: Pick<Refusal, 'status' | 'message' | 'format'>,
  accept: string | undefined,
): { readonly contentType: string; readonly text: string } {
  const { status, message } = refusal;
  const kind = refusal.format ?? preferredKind(accept ?? '');
  if (kind === 'json') {
    return { contentType: 'application/json', text: `${JSON.stringify({ detail: message })}\n` };
  }
  const title = `${status} ${TITLES[status] ?? 'Error'}`;
  if (kind === 'html') return { contentType: 'text/html; charset=utf-8', text: page(title, message) };
  return { contentType: 'text/plain; charset=utf-8', text: `${title}\n${message}\n` };
}

/** Returns the preferred kind: JSON or HTML only if named in `Accept`, by quality and then by order (RFC 9110 section 12.5.1). */
function preferredKind(accept: string): 'json' | 'html' | 'text' {
  let best: 'json' | 'html' | 'text' = 'text';
  let bestQuality = 0;
  for (const range of accept.split(',')) {
    const [type = '', ...parameters] = range.toLowerCase().split(';');
    const quality = parameters.map((each) => /^\s*q=([\d.]+)\s*$/.exec(each)?.[1]).find((q) => q !== undefined);
    const value = quality === undefined ? 1 : Number(quality);
    const kind = kindOf(type.trim());
    if (kind !== undefined && value > bestQuality) {
      best = kind;
      bestQuality = value;
    }
  }
  return best;
}

function kindOf(type: string): 'json' | 'html' | 'text' | undefined {
  if (type === 'application/json' || type.endsWith('+json')) return 'json';
  if (type === 'text/html' || type === 'application/xhtml+xml') return 'html';
  return type === 'text/plain' ? 'text' : undefined;
}

function page(title: string, message: string): string {
  const style = 'font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:15vh auto;padding:0 1rem';
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>`;
  const text = escapeHtml(message).replace(/`([^`]*)`/g, '<code>$1</code>');
  return `<!doctype html><html lang="en"><head>${head}</head><body style="${style}"><h1>${title}</h1><p>${text}</p></body></html>\n`;
}

function escapeHtml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}

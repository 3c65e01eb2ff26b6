/** What a person sees after a step. */
export interface BrowserView {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Where the browser was sent outside of the provider. */
  readonly leftTo: URL | undefined;
}

/** A browser as far as the provider's pages need one: it keeps cookies, follows redirects and sends forms. */
export interface Browser {
  /** `name=value` by name. */
  readonly cookies: Map<string, string>;
  open(url: string): Promise<BrowserView>;
  /** Sends the form of the last page that has these fields, with its hidden ones. */
  submit(fields: Readonly<Record<string, string>>, headers?: Readonly<Record<string, string>>): Promise<BrowserView>;
}

export function createBrowser(fetch: (url: string, init?: RequestInit) => Promise<Response>, origin: string): Browser {
  const cookies = new Map<string, string>();
  let page = { url: origin, text: '' };
  const send = async (url: string, init: RequestInit = {}): Promise<BrowserView> => {
    const headers = new Headers(init.headers);
    if (cookies.size > 0) headers.set('cookie', [...cookies.values()].join('; '));
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';');
      const name = pair.slice(0, pair.indexOf('='));
      if (cookie.includes('Max-Age=0')) cookies.delete(name);
      else cookies.set(name, pair);
    }
    const location = response.headers.get('location');
    if (location === null) {
      page = { url, text: await response.text() };
      return { status: response.status, headers: response.headers, text: page.text, leftTo: undefined };
    }
    const next = new URL(location, url);
    if (next.origin === new URL(origin).origin) return send(next.href);
    return { status: response.status, headers: response.headers, text: '', leftTo: next };
  };
  return {
    cookies,
    open: (url) => send(url),
    submit(fields, headers = {}) {
      const [name = ''] = Object.keys(fields);
      const form = page.text.match(/<form[\s\S]*?<\/form>/g)?.find((one) => one.includes(`name="${name}"`));
      if (form === undefined) throw new Error(`the page has no form with ${name}: ${page.text}`);
      const action = /action="([^"]*)"/.exec(form)?.[1]?.replaceAll('&amp;', '&') ?? '';
      const token = /name="form_token" value="([^"]*)"/.exec(form)?.[1] ?? '';
      const body = new URLSearchParams({ ...fields, ...(name === 'form_token' ? {} : { form_token: token }) });
      return send(new URL(action, page.url).href, { method: 'POST', body, headers: { origin, ...headers } });
    },
  };
}

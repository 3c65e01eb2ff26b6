import { element } from './element.ts';
import { isFileRoute, resolveSource } from './resolve-source.ts';

/** Shows pictures and links of messages. */
export interface Media {
  image(src: string, alt: string): HTMLElement;
  link(href: string, children: readonly Node[]): HTMLElement;
}

/** What media needs of the page. */
export interface MediaOptions {
  readonly origin: string;
  /** Reads a file of this server with the person's token. */
  readFile(url: string): Promise<Blob>;
}

/** Pictures and links that load nothing from elsewhere, and files of the workspace with the person's token. */
export function createMedia({ origin, readFile }: MediaOptions): Media {
  const link = (href: string, children: readonly Node[]): HTMLElement => {
    const source = resolveSource(href, origin);
    if (source === undefined || source.kind === 'inline') return element('span', {}, ...children);
    if (source.kind === 'own' && isFileRoute(source.url)) {
      return element('a', { href: source.url, onClick: (event: Event) => openFile(event, source.url) }, ...children);
    }
    return element('a', { href: source.url, target: '_blank', rel: 'noopener noreferrer' }, ...children);
  };

  const openFile = async (event: Event, url: string) => {
    event.preventDefault();
    const target = event.currentTarget as HTMLElement;
    try {
      const name = decodeURIComponent(url.split(/[?#]/)[0]?.split('/').pop() ?? '') || 'file';
      const address = URL.createObjectURL(await readFile(url));
      element('a', { href: address, download: name }).click();
      setTimeout(() => URL.revokeObjectURL(address), 60_000);
    } catch {
      target.replaceWith(element('span', { class: 'missing' }, `${target.textContent} (not there any more)`));
    }
  };

  return {
    link,
    image(src, alt) {
      const source = resolveSource(src, origin);
      if (source === undefined) return element('span', { class: 'missing' }, alt || 'picture');
      if (source.kind === 'remote') {
        const host = new URL(source.url).hostname;
        return link(source.url, [document.createTextNode(`${alt || 'Picture'} (on ${host})`)]);
      }
      const image = element('img', { alt, loading: 'lazy' });
      if (source.kind === 'inline') {
        image.src = source.url;
        return image;
      }
      readFile(source.url).then(
        (blob) => {
          image.src = URL.createObjectURL(blob);
          image.addEventListener('load', () => URL.revokeObjectURL(image.src), { once: true });
        },
        () => image.replaceWith(element('span', { class: 'missing' }, `${alt || 'Picture'} (not there any more)`)),
      );
      return image;
    },
  };
}

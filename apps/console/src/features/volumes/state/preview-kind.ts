/** How a file is shown; undefined: it isn't. */
export type PreviewKind = 'image' | 'text' | 'json';

const KINDS: Readonly<Record<PreviewKind, string>> = {
  image: 'png jpg jpeg gif webp avif svg ico bmp',
  json: 'json geojson webmanifest ipynb',
  text:
    'txt md markdown log csv tsv yaml yml toml ini cfg conf env xml html htm css js mjs cjs ts tsx jsx py go rs rb php java ' +
    'c h cpp hpp cs sh bash zsh sql ndjson jsonl diff patch dockerfile makefile gitignore license readme lock',
};

/** Of an image no more is loaded. */
export const IMAGE_BYTES = 32 * 2 ** 20;
/** Of a text no more is shown. */
export const TEXT_BYTES = 256 * 1_024;

/** By the ending of its name, or the whole of it. An image that is too large isn't shown; of a text, the beginning is. */
export function previewKind(path: string, sizeBytes: number): PreviewKind | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  const ending = name.slice(name.lastIndexOf('.') + 1);
  const kinds = Object.keys(KINDS) as PreviewKind[];
  const kind = kinds.find((one) => KINDS[one].split(' ').includes(ending));
  return kind === 'image' && sizeBytes > IMAGE_BYTES ? undefined : kind;
}

/** JSON with line breaks; as it is when it is none, or cut. */
export function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}

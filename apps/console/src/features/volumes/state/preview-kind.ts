/** How a file is previewed. */
export type PreviewKind = 'image' | 'text' | 'json';

const KINDS: Readonly<Record<PreviewKind, string>> = {
  image: 'png jpg jpeg gif webp avif svg ico bmp',
  json: 'json geojson webmanifest ipynb',
  text:
    'txt md markdown log csv tsv yaml yml toml ini cfg conf env xml html htm css js mjs cjs ts tsx jsx py go rs rb php java ' +
    'c h cpp hpp cs sh bash zsh sql ndjson jsonl diff patch dockerfile makefile gitignore license readme lock',
};

/** Maximum size in bytes of an image that is previewed. */
export const IMAGE_BYTES = 32 * 2 ** 20;
/** Maximum bytes of a text that are shown. */
export const TEXT_BYTES = 256 * 1_024;

/**
 * Returns how to preview a file, by its extension or full name; undefined if there is no preview. Oversized images have
 * none; oversized texts are truncated.
 */
export function previewKind(path: string, sizeBytes: number): PreviewKind | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  const ending = name.slice(name.lastIndexOf('.') + 1);
  const kinds = Object.keys(KINDS) as PreviewKind[];
  const kind = kinds.find((one) => KINDS[one].split(' ').includes(ending));
  return kind === 'image' && sizeBytes > IMAGE_BYTES ? undefined : kind;
}

/** Returns JSON with indentation; other text and truncated JSON unchanged. */
export function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}

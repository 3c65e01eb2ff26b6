import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';

/** The samples, each with a text on its first page. */
export const SAMPLES = {
  'libreoffice.doc': 'Hello',
  'libreoffice.docx': 'Hello',
  'libreoffice.rtf': 'Hello',
  'libreoffice.epub': 'Hello',
  'libreoffice.ppt': 'Hello',
  'odfpy.odt': 'Minutes',
  'openpyxl.xlsx': 'Apples',
  'xlwt.xls': 'Item',
  'python-pptx.pptx': 'Slide 1',
} as const;

/** Returns a sample document; see the samples' README. */
export function readSample(name: keyof typeof SAMPLES): Buffer {
  const file = path.join(import.meta.dirname, 'samples', name);
  return name === 'libreoffice.ppt' ? gunzipSync(readFileSync(`${file}.gz`)) : readFileSync(file);
}

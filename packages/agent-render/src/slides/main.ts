// The program that `makeSlides` runs in a separate process: node main.ts PDF TARGET.
import { codeOf } from '@berth/kit/node';
import { drawPages, PagesError, REFUSED } from './draw-pages.ts';

const [, , pdf = '', target = ''] = process.argv;
try {
  await drawPages(pdf, target);
} catch (error) {
  const isMissing = codeOf(error) === 'ERR_MODULE_NOT_FOUND';
  if (error instanceof PagesError) process.stdout.write(error.message);
  else if (isMissing) process.stdout.write('Rendering slides requires a library: npm install pdfjs-dist@6.');
  else throw error;
  process.exitCode = isMissing ? REFUSED.forNow : REFUSED.lasting;
}

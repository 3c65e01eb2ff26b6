/** Pictures in the answer itself, and of no kind that runs. */
const PICTURE = /^data:image\/(?:png|jpeg|webp);base64,/;

/** The slides of `?as=slides`, as addresses of pictures. Source: docs/contract/agent-api.md §4. @throws Error for an answer that is none */
export function readSlides(text: string): readonly string[] {
  const { slides } = JSON.parse(text) as { readonly slides?: unknown };
  if (!Array.isArray(slides)) throw new Error('The slides could not be read.');
  return slides.filter((slide): slide is string => typeof slide === 'string' && PICTURE.test(slide));
}

/** Inline images of types that cannot contain scripts. */
const PICTURE = /^data:image\/(?:png|jpeg|webp);base64,/;

/**
 * Returns the slides in a response to `?as=slides` as data URLs of images. Source: docs/contract/agent-api.md §4.
 * @throws Error when the response has no list of slides
 */
export function readSlides(text: string): readonly string[] {
  const { slides } = JSON.parse(text) as { readonly slides?: unknown };
  if (!Array.isArray(slides)) throw new Error('The slides could not be read.');
  return slides.filter((slide): slide is string => typeof slide === 'string' && PICTURE.test(slide));
}

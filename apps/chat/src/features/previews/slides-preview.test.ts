import { expect, it } from 'vitest';
import { readSlides } from './slides-preview.tsx';

it('takes pictures, and nothing that runs', () => {
  const slides = ['data:image/png;base64,AA', 'data:image/svg+xml;base64,AA', 'https://example.com/a.png', 7];
  expect(readSlides(JSON.stringify({ count: 4, slides }))).toEqual(['data:image/png;base64,AA']);
  expect(() => readSlides('{}')).toThrow('could not be read');
});

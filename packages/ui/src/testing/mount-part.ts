import type { ReactNode } from 'react';
import { jsx } from 'react/jsx-runtime';
import { ToastProvider } from '../components/toasts.tsx';
import type { Language } from '../text/languages.ts';
import { TextProvider } from '../text/text-context.tsx';
import { type MountedView, mount } from './mount.ts';

/** Surroundings of a part. */
export interface PartSetup {
  readonly language?: Language;
  /** How long a toast is shown, in milliseconds; 0, the default here: until it is closed. */
  readonly shownMs?: number;
}

/** Renders a part below the providers of texts and toasts. `render` of what it returns replaces the part. */
export async function mountPart(
  part: ReactNode,
  { language = 'en', shownMs = 0 }: PartSetup = {},
): Promise<MountedView> {
  const withTexts = (children: ReactNode) =>
    jsx(TextProvider, { language, messages: {}, children: jsx(ToastProvider, { shownMs, children }) });
  const view = await mount(withTexts(part));
  return { ...view, render: (next) => view.render(withTexts(next)) };
}

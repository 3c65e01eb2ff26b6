import { createLateView } from '../../../components/late-view.ts';
import type { PartViewProps } from '../../message-parts/part-view.tsx';

const partView = createLateView(async () => (await import('../../message-parts/part-view.tsx')).PartView);

/** Begins to load what shows answers: one can write before it is there. */
export const preparePartView = partView.prepare;

/** A piece of an answer, once what shows it is there. */
export function LatePartView(props: PartViewProps) {
  const View = partView.useView();
  return View && <View {...props} />;
}

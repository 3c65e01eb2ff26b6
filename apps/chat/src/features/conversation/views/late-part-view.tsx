import { createLateView } from '../../../components/late-view.ts';
import type { PartViewProps } from '../../message-parts/part-view.tsx';

const partView = createLateView(async () => (await import('../../message-parts/part-view.tsx')).PartView);

/** Starts to load the component that renders answers, which is not part of the first load. */
export const preparePartView = partView.prepare;

/** Renders one part of an answer, or nothing until {@link preparePartView} has loaded the component. */
export function LatePartView(props: PartViewProps) {
  const View = partView.useView();
  return View && <View {...props} />;
}

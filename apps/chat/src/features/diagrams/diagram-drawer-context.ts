import { createRequiredContext } from '@berth/ui';
import type { DiagramDrawer } from './diagram-drawer.ts';

/** The drawer that all diagrams of the page share. */
export const [DiagramDrawerContext, useDiagramDrawer] = createRequiredContext<DiagramDrawer>('DiagramDrawerContext');

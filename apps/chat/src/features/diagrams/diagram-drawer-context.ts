import { createRequiredContext } from '@berth/ui';
import type { DiagramDrawer } from './diagram-drawer.ts';

/** The context and hook of the drawer that all diagrams of the page share. */
export const [DiagramDrawerContext, useDiagramDrawer] = createRequiredContext<DiagramDrawer>('DiagramDrawerContext');

import { Tooltip as Base } from '@base-ui/react/tooltip';
import type { ReactElement } from 'react';

export interface TooltipProps {
  readonly text: string;
  /** A single element that can take focus. */
  readonly children: ReactElement;
}

/** A tooltip shown on hover and focus. It only adds detail: the interface must be usable without it. */
export function Tooltip({ text, children }: TooltipProps) {
  return (
    <Base.Root>
      <Base.Trigger render={children} />
      <Base.Portal>
        <Base.Positioner sideOffset={6} className="z-50">
          <Base.Popup className="pop max-w-72 rounded-md px-2 py-1 text-xs">{text}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

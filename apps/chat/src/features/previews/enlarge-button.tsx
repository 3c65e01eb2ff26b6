import { lazy, Suspense, useRef, useState } from 'react';

const ZoomDialog = lazy(() =>
  import('../../components/zoom-dialog.tsx').then(({ ZoomDialog }) => ({ default: ZoomDialog })),
);

export interface EnlargeButtonProps {
  readonly src: string;
  readonly alt: string;
  /** The button's tooltip, which says what a press does. */
  readonly label: string;
}

/** An image that opens full screen when pressed. */
export function EnlargeButton({ src, alt, label }: EnlargeButtonProps) {
  const picture = useRef<HTMLImageElement>(null);
  const [size, setSize] = useState<{ readonly width: number; readonly height: number } | undefined>();
  const enlarge = () => {
    const { naturalWidth = 0, naturalHeight = 0 } = picture.current ?? {};
    // An SVG may have no intrinsic size.
    setSize({ width: naturalWidth || innerWidth, height: naturalHeight || innerHeight });
  };
  return (
    <>
      <button type="button" title={label} className="cursor-zoom-in self-center rounded-md" onClick={enlarge}>
        <img ref={picture} src={src} alt={alt} className="max-w-full rounded-md" />
      </button>
      {size && (
        <Suspense>
          <ZoomDialog title={alt} src={src} size={size} onClose={() => setSize(undefined)} />
        </Suspense>
      )}
    </>
  );
}

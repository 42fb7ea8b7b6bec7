import { type ComponentProps, Suspense } from 'react';
import { lazily } from './lazily.ts';
import type { WindowedRows as Windowed } from './windowed-rows.tsx';

const WindowedRows = lazily(() => import('./windowed-rows.tsx').then((m) => m.WindowedRows));
/** Up to this many rows are all drawn. */
const FEW = 60;

/** The rows of a table: all of them where they are few, else those in sight. */
export function ManyRows(props: ComponentProps<typeof Windowed>) {
  const { count, areBodies = false, row } = props;
  const drawn = (most: number) => {
    const rows = Array.from({ length: Math.min(count, most) }, (_, i) => row(i, {}));
    return areBodies ? rows : <tbody>{rows}</tbody>;
  };
  if (count <= FEW) return drawn(FEW);
  return (
    <Suspense fallback={drawn(FEW)}>
      <WindowedRows {...props} />
    </Suspense>
  );
}

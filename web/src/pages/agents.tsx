import { Quiet } from '../parts/quiet.tsx';

export function Agents(_: { readonly session?: unknown }) {
  return <Quiet>…</Quiet>;
}

import { useAssets } from '../api/use-assets.ts'

/** A network as people call it, its CAIP-2 id on the pointer; one that is not configured any more by its id alone. */
export function NetworkName({ id }: { id: string }) {
  const name = useAssets().network(id)?.name
  return name === undefined ? (
    <span className="font-mono text-[0.8125rem] break-all">{id}</span>
  ) : (
    <span title={id}>{name}</span>
  )
}

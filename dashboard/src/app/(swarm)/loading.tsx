import { Skeleton } from '#components/Skeleton.tsx'

export default function Loading() {
  return <Skeleton lines={10} title="Waggle" />
}

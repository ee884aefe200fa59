import { Counter, Histogram } from 'prom-client'
import type { Registry } from 'prom-client'
import { boundedLabel } from './bounded.ts'

/** A call to a node that is over. */
export interface NodeCallEnd {
  readonly method: string
  /** The node's place in the configuration, from 0. Never its address: a provider's key may be any part of that. */
  readonly node: number
  readonly end: 'result' | 'error' | 'failure'
  /** Of the HTTP round trip that carried it. */
  readonly milliseconds: number
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Counts calls to nodes. `methodsMax` bounds how many method names are told apart. */
export function nodeMetrics(
  registry: Registry,
  methodsMax: number,
): (network: string, call: NodeCallEnd) => void {
  const calls = new Counter({
    name: 'florin_node_calls_total',
    help: 'JSON-RPC calls by network, node (its place in rpcUrls, from 1), method and outcome: result, error (the node says no), failure (no usable answer).',
    labelNames: ['network', 'node', 'method', 'outcome'],
    registers: [registry],
  })
  const seconds = new Histogram({
    name: 'florin_node_call_seconds',
    help: 'Round trip of a JSON-RPC call; calls of one batch share it.',
    labelNames: ['network', 'node', 'method'],
    buckets: SECONDS,
    registers: [registry],
  })
  const methodLabel = boundedLabel(methodsMax)
  return (network, { method, node, end, milliseconds }) => {
    const labels = { network, node: String(node + 1), method: methodLabel(method) }
    calls.inc({ ...labels, outcome: end })
    seconds.observe(labels, milliseconds / 1000)
  }
}

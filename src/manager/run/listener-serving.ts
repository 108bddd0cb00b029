import { isIP } from 'node:net'
import { openAdmissionListener } from '../../admission/serving/listener.ts'
import { buildSecretPath } from '../../admission/serving/path-secret.ts'
import type { ServingCertificate } from '../../admission/serving/serving-certificate.ts'
import type { ServingNames } from '../../admission/serving/serving-material.ts'
import type { WebhookClientConfig } from '../../admission/serving/webhook-configurations.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { WebhookServing } from './webhook-serving.ts'

/** Where the API server finds the listener, once it has its port. */
export type WebhookAddress = (path: string, port: number) => AddressOf<WebhookClientConfig>

type AddressOf<T> = T extends unknown ? Omit<T, 'caBundle'> : never

export interface ListenerServingOptions {
  readonly certificate: ServingCertificate
  readonly address: WebhookAddress
  readonly host: string
  /** 0: any that is free. */
  readonly port: number
  readonly clock: Clock
}

/** Webhooks behind an HTTPS listener of this process. */
export function listenerServing({ certificate, address, host, port, clock }: ListenerServingOptions): WebhookServing {
  return {
    open: async (handlers) => {
      const serving = certificate.serving()
      const secrets = () => certificate.acceptedPathSecrets()
      const listener = await openAdmissionListener({ handlers, secrets, serving, host, port, clock })
      return {
        client: (path) => ({
          ...address(buildSecretPath(certificate.pathSecret(), path), listener.port),
          caBundle: certificate.caBundle(),
        }),
        keepFresh: (signal, changed) =>
          certificate.keepFresh(signal, () => {
            listener.reload(certificate.serving())
            changed()
          }),
        [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose](),
      }
    },
  }
}

/** Of the Service, for the container port `admission`. Port 443 leads to replicas of 0.1.0 in the middle of an upgrade. */
const servicePort = 8443

/** Behind a Service of the cluster. */
export function serviceAddress(namespace: string, name: string): WebhookAddress {
  return (path) => ({ service: { namespace, name, path, port: servicePort } })
}

/** The API server checks the certificate for this one and no other name of the Service. */
export function serviceNames(namespace: string, name: string): ServingNames {
  return { dnsNames: [`${name}.${namespace}.svc`], addresses: [] }
}

/** `https://HOST` or `https://HOST:PORT`; without a port it is the one of the listener. */
export function urlAddress(base: URL): WebhookAddress {
  return (path, port) => {
    const url = new URL(base)
    url.pathname = path
    if (url.port === '') url.port = String(port)
    return { url: url.href }
  }
}

export function hostNames(base: URL): ServingNames {
  const host = base.hostname.replace(/^\[(.*)\]$/, '$1')
  return isIP(host) === 0 ? { dnsNames: [host], addresses: [] } : { dnsNames: [], addresses: [host] }
}

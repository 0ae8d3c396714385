import { NodeError } from '#base/errors.ts'

/** Another process listens where this one should. */
export class PortTakenError extends NodeError {
  override readonly code = 'P2P_PORT_TAKEN'
}

/** An address that cannot be listened on, for a reason other than a taken port. */
export class ListenError extends NodeError {
  override readonly code = 'P2P_LISTEN'
}

/** A multiaddr or a peer key in the configuration that cannot be used. */
export class AddressError extends NodeError {
  override readonly code = 'P2P_ADDRESS'
}

/** An announcement of our own that other peers would refuse. */
export class AnnouncementError extends NodeError {
  override readonly code = 'P2P_ANNOUNCEMENT'
}

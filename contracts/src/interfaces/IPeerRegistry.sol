// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IRounds} from "./IRounds.sol";

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// @title IPeerRegistry
/// @notice Which account speaks for which libp2p peer, proven by the peer's own key, and the peers to dial first.
/// @dev A peer is keyed by `keccak256(bytes(peerId))`, `peerId` being the base58btc form. The string is emitted once,
/// at registration, and derived again from the stored key by `peerIdOf`; it is never stored.
interface IPeerRegistry {
    /// @notice Emitted when a peer is bound to an account for the first time.
    /// @param peerKey Keccak of the peer id's base58 form.
    /// @param account The account that speaks for the peer from now on.
    /// @param peerId The peer id, base58btc ("16Uiu2HA…" for secp256k1 keys, "Qm…" for RSA keys).
    /// @param fromRound First round that the key counts in.
    event PeerRegistered(bytes32 indexed peerKey, address indexed account, string peerId, uint64 fromRound);

    /// @notice Emitted when the peer's key moves the peer to another account.
    /// @param peerKey Keccak of the peer id's base58 form.
    /// @param from The account that spoke for the peer until now.
    /// @param to The account that speaks for the peer from now on.
    event PeerMoved(bytes32 indexed peerKey, address indexed from, address indexed to);

    /// @notice Emitted when the list of bootnodes is replaced.
    /// @param multiaddrs The whole new list.
    event BootnodesSet(string[] multiaddrs);

    /// @notice Thrown when a public key is not 64 bytes of x and y.
    /// @param length Length given, bytes.
    error PeerRegistry_PublicKeyLength(uint256 length);

    /// @notice Thrown when a proof arrives after its deadline.
    /// @param deadline Last second at which the proof was good, Unix time.
    /// @param timestamp The block's time, Unix time, seconds.
    error PeerRegistry_DeadlinePassed(uint256 deadline, uint256 timestamp);

    /// @notice Thrown when a signature is malformed: not 65 bytes, a high `s`, or no curve point.
    /// @param failure Reason: 1 not a point, 2 its length, 3 its `s`.
    /// @param value The length in bytes for 2, the `s` for 3, else 0.
    error PeerRegistry_MalformedSignature(ECDSA.RecoverError failure, bytes32 value);

    /// @notice Thrown when a well-formed signature is not by the public key, or signs another account, nonce, deadline,
    /// chain or contract.
    /// @param expected Address of the public key given.
    /// @param recovered Address that the signature yields.
    error PeerRegistry_WrongSigner(address expected, address recovered);

    /// @notice Thrown when an RSA modulus is not of 2048 to 4096 bits.
    /// @param bits Its size, bits.
    error PeerRegistry_ModulusSize(uint256 bits);

    /// @notice Thrown when an RSA modulus has a leading zero byte, or is even.
    /// @param first Its first byte.
    /// @param last Its last byte.
    error PeerRegistry_MalformedModulus(uint8 first, uint8 last);

    /// @notice Thrown when an RSA exponent is even, or below 65537.
    /// @param exponent The exponent given.
    error PeerRegistry_WeakExponent(uint32 exponent);

    /// @notice Thrown when an RSA signature is malformed, not by the public key, or signs other data.
    /// @param words The EIP-712 digest that had to be signed.
    error PeerRegistry_WrongRsaSignature(bytes32 words);

    /// @notice Thrown when a registration on behalf of an account lacks that account's signature.
    /// @param account The account.
    error PeerRegistry_NoConsent(address account);

    /// @notice Thrown when the account already holds the peer that it registers.
    /// @param peerKey Keccak of the peer id's base58 form.
    /// @param account The account that holds it.
    error PeerRegistry_AlreadyRegistered(bytes32 peerKey, address account);

    /// @notice Thrown when the peer id of an unregistered key is requested.
    /// @param peerKey The unknown key.
    error PeerRegistry_UnknownPeer(bytes32 peerKey);

    /// @notice Binds the peer of `publicKey` to the caller, or moves it to the caller if another account holds it.
    /// @dev The proof is an EIP-712 signature by the peer's key over
    /// `Registration(address account,bytes32 publicKeyHash,uint256 nonce,uint256 deadline)` in the domain
    /// `("Waggle PeerRegistry", "1", chainId, contract)`, with `account` the caller and `nonce` = `nonces(account)`.
    /// Moving a peer needs a new proof that names the new account, so only the holder of the peer's key decides.
    /// @param publicKey The peer's secp256k1 key, 64 bytes: x then y, big-endian.
    /// @param signature r, s, v; 65 bytes; `s` in the lower half of the order.
    /// @param deadline Last second at which the proof may be used, Unix time.
    /// @return peerKey Keccak of the peer id's base58 form.
    function register(
        bytes calldata publicKey,
        bytes calldata signature,
        uint256 deadline
    ) external returns (bytes32 peerKey);

    /// @notice The same for an RSA key, given as modulus and exponent: the contract builds libp2p's protobuf form of
    /// the key, and from it the peer id.
    /// @dev The peer's key signs the same EIP-712 digest, `publicKeyHash` being the keccak of that protobuf form, by
    /// PKCS#1 v1.5 with SHA-256, as libp2p keys sign.
    /// @param modulus Big-endian, 2048 to 4096 bits, odd, without leading zeros.
    /// @param exponent The public exponent, odd, at least 65537.
    /// @param signature As long as the modulus, and below it.
    /// @param deadline Last second at which the proof may be used, Unix time.
    /// @return peerKey Keccak of the peer id's base58 form.
    function registerRsa(
        bytes calldata modulus,
        uint32 exponent,
        bytes calldata signature,
        uint256 deadline
    ) external returns (bytes32 peerKey);

    /// @notice Registers a peer of a secp256k1 key with an account that need not send the transaction.
    /// @param account The account; it may be a contract.
    /// @param publicKey The peer's key, as for `register`.
    /// @param signature The peer's proof, as for `register`, with `account` in it.
    /// @param deadline Last second at which the proof may be used, Unix time.
    /// @param consent The account's signature over the same digest: ECDSA, or ERC-1271 if it has code.
    /// @return peerKey Keccak of the peer id's base58 form.
    function registerFor(
        address account,
        bytes calldata publicKey,
        bytes calldata signature,
        uint256 deadline,
        bytes calldata consent
    ) external returns (bytes32 peerKey);

    /// @notice Registers a peer of an RSA key with an account that need not send the transaction.
    /// @param account The account; it may be a contract.
    /// @param modulus As for `registerRsa`.
    /// @param exponent As for `registerRsa`.
    /// @param signature The peer's proof, as for `registerRsa`, with `account` in it.
    /// @param deadline Last second at which the proof may be used, Unix time.
    /// @param consent The account's signature over the same digest: ECDSA, or ERC-1271 if it has code.
    /// @return peerKey Keccak of the peer id's base58 form.
    function registerRsaFor(
        address account,
        bytes calldata modulus,
        uint32 exponent,
        bytes calldata signature,
        uint256 deadline,
        bytes calldata consent
    ) external returns (bytes32 peerKey);

    /// @notice Replaces the list of bootnodes. Role: `BOOTNODE_MANAGER_ROLE`.
    /// @param multiaddrs The whole new list, each ending in `/p2p/<peer id>`.
    function setBootnodes(string[] calldata multiaddrs) external;

    /// @notice The account that speaks for a peer; zero if none does.
    /// @param peerKey Keccak of the peer id's base58 form.
    /// @return account The account.
    function accountOf(bytes32 peerKey) external view returns (address account);

    /// @notice The account that speaks for a peer, and the first round in which its key can commit: the second round to
    /// begin after registration, so that the key is known before the beacon that draws its work; round 0 for keys
    /// registered before it. Both are zero for an unregistered peer.
    /// @param peerKey Keccak of the peer id's base58 form.
    /// @return account The account.
    /// @return fromRound The round; a move to another account does not change it.
    function membershipOf(bytes32 peerKey) external view returns (address account, uint64 fromRound);

    /// @notice The clock.
    /// @return clock Its contract.
    function rounds() external view returns (IRounds clock);

    /// @notice The peer id of a key, derived from the stored public key.
    /// @param peerKey Keccak of the peer id's base58 form.
    /// @return peerId The peer id, base58btc.
    function peerIdOf(bytes32 peerKey) external view returns (string memory peerId);

    /// @notice How many peers an account speaks for.
    /// @param account The account.
    /// @return count Number of peers.
    function peerCount(address account) external view returns (uint256 count);

    /// @notice A page of the peers that an account speaks for. The order changes when a peer moves away.
    /// @param account The account.
    /// @param offset Peers to pass over; past the end gives an empty page.
    /// @param limit Most peers to return.
    /// @return peerKeys Keys of the peers.
    function peersOf(address account, uint256 offset, uint256 limit) external view returns (bytes32[] memory peerKeys);

    /// @notice A page of the peer ids that an account speaks for, in the order of `peersOf`.
    /// @param account The account.
    /// @param offset Peers to pass over; past the end gives an empty page.
    /// @param limit Most peers to return.
    /// @return peerIds Their ids, base58btc.
    function peerIdsOf(address account, uint256 offset, uint256 limit) external view returns (string[] memory peerIds);

    /// @notice The nonce that the account's next proof must name.
    /// @param account The account.
    /// @return nonce Registrations by this account so far.
    function nonces(address account) external view returns (uint256 nonce);

    /// @notice The peers to dial first.
    /// @return multiaddrs Their addresses.
    function bootnodes() external view returns (string[] memory multiaddrs);

    /// @notice The role that may set the bootnodes.
    /// @return role The role's id.
    function BOOTNODE_MANAGER_ROLE() external view returns (bytes32 role);
}

// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Base58} from "@openzeppelin/contracts/utils/Base58.sol";

/// @title PeerIds
/// @notice libp2p peer ids of secp256k1 and RSA keys.
/// @dev A peer id is the base58btc form of a multihash of the key in libp2p's protobuf form. Keys of up to 42 bytes
/// are not hashed: identity multihash `00`, length `25` (37), then field 1 `08 02` (secp256k1), field 2 `12 21` (33
/// bytes), compressed point. Longer ones are: `12` (sha-256), length `20`, then the digest.
library PeerIds {
    /// @dev Identity multihash of a protobuf secp256k1 key, up to the compressed point.
    bytes6 internal constant SECP256K1_PREFIX = 0x002508021221;

    /// @dev Sha-256 multihash, up to the digest.
    bytes2 internal constant SHA256_PREFIX = 0x1220;

    /// @notice The peer id of a secp256k1 key.
    /// @param x The point's x.
    /// @param odd Whether the point's y is odd.
    /// @return peerId base58btc, "16Uiu2HA…".
    function ofSecp256k1(bytes32 x, bool odd) internal pure returns (string memory peerId) {
        bytes1 parity = odd ? bytes1(0x03) : bytes1(0x02);
        return Base58.encode(abi.encodePacked(SECP256K1_PREFIX, parity, x));
    }

    /// @notice The peer id of a key that is hashed.
    /// @param digest Sha-256 of the key's protobuf form.
    /// @return peerId base58btc, "Qm…".
    function ofDigest(bytes32 digest) internal pure returns (string memory peerId) {
        return Base58.encode(abi.encodePacked(SHA256_PREFIX, digest));
    }
}

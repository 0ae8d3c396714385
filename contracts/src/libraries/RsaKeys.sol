// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";

/// @title RsaKeys
/// @notice RSA public keys in libp2p's protobuf form, built from modulus and exponent.
/// @dev Built, not parsed: two encodings of one key would be two peer ids, so the contract writes the canonical
/// encoding itself.
library RsaKeys {
    uint256 internal constant MIN_BITS = 2048;
    uint256 internal constant MAX_BITS = 4096;

    /// @dev The smallest exponent that NIST SP 800-56B allows; smaller ones are open to padding attacks.
    uint32 internal constant MIN_EXPONENT = 65537;

    /// @dev The DER of `SEQUENCE { OID rsaEncryption, NULL }`, RFC 8017 appendix C.
    bytes15 private constant ALGORITHM = 0x300d06092a864886f70d0101010500;

    /// @notice Size of a modulus.
    /// @param modulus Big-endian.
    /// @return bits Its bits without leading zeros; 0 if it is empty.
    function bitsOf(bytes calldata modulus) internal pure returns (uint256 bits) {
        if (modulus.length == 0) return 0;
        uint8 first = uint8(modulus[0]);
        return first == 0 ? (modulus.length - 1) * 8 : (modulus.length - 1) * 8 + Math.log2(first) + 1;
    }

    /// @notice `PublicKey { Type: RSA, Data: SubjectPublicKeyInfo }`.
    /// @param modulus Big-endian, without leading zeros, of `MIN_BITS` to `MAX_BITS`.
    /// @param exponent The public exponent, at least `MIN_EXPONENT`.
    /// @return encoded The protobuf.
    function protobufOf(bytes calldata modulus, uint32 exponent) internal pure returns (bytes memory encoded) {
        bytes memory numbers = abi.encodePacked(_modulusDer(modulus), _exponentDer(exponent));
        // BIT STRING (no unused bits) of SEQUENCE { modulus, exponent }
        bytes memory key = abi.encodePacked(bytes2(0x0382), uint16(numbers.length + 5), bytes3(0x003082));
        key = abi.encodePacked(ALGORITHM, key, uint16(numbers.length), numbers);
        // Field 1: type 0, RSA. Field 2: the SEQUENCE; its length is a varint of 2 bytes from 128 to 16,383.
        uint256 length = key.length + 4;
        bytes1 low = bytes1(uint8(length & 0x7f) | 0x80);
        return abi.encodePacked(bytes3(0x080012), low, uint8(length >> 7), bytes2(0x3082), uint16(key.length), key);
    }

    /// @dev INTEGER, with a zero before a first bit of one, which would be a sign. Its length takes 2 bytes.
    function _modulusDer(bytes calldata modulus) private pure returns (bytes memory der) {
        if (uint8(modulus[0]) < 0x80) return abi.encodePacked(bytes2(0x0282), uint16(modulus.length), modulus);
        return abi.encodePacked(bytes2(0x0282), uint16(modulus.length + 1), bytes1(0), modulus);
    }

    /// @dev INTEGER of 3 to 5 bytes.
    function _exponentDer(uint32 exponent) private pure returns (bytes memory der) {
        if (exponent < 1 << 23) return abi.encodePacked(bytes2(0x0203), uint24(exponent));
        if (exponent < 1 << 31) return abi.encodePacked(bytes2(0x0204), exponent);
        return abi.encodePacked(bytes2(0x0205), uint40(exponent));
    }
}

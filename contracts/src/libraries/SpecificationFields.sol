// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title SpecificationFields
/// @notice Reads numbers from an environment's specification, of which the chain stores the hash of the canonical
/// dag-cbor.
library SpecificationFields {
    /// @notice Thrown when a field is not at the given offset, or is not a number below 65,536.
    /// @param offset The given offset.
    error SpecificationFields_NotThere(uint256 offset);

    /// @notice Leaves that a peer owes in a round, and how many of them are scored.
    /// @param specification The specification, in canonical dag-cbor.
    /// @param owedAt Offset of the key `owedLeaves` in it, at its head byte.
    /// @param sampledAt The same of `sampledLeaves`.
    /// @return owed Leaves that are owed.
    /// @return sampled Leaves that are scored, at most those owed.
    function sampleAt(
        bytes calldata specification,
        uint256 owedAt,
        uint256 sampledAt
    ) internal pure returns (uint256 owed, uint256 sampled) {
        // CBOR's heads of texts of 10 and of 13 bytes.
        owed = numberAt(specification, "\x6aowedLeaves", owedAt);
        sampled = numberAt(specification, "\x6dsampledLeaves", sampledAt);
        if (sampled > owed) sampled = owed;
    }

    /// @notice The value of a field.
    /// @param specification The specification, in canonical dag-cbor.
    /// @param key The field's name in CBOR, with its head byte.
    /// @param offset Offset of the name.
    /// @return value The number that follows it.
    function numberAt(
        bytes calldata specification,
        bytes memory key,
        uint256 offset
    ) internal pure returns (uint256 value) {
        // The sum cannot overflow after the first check.
        if (offset > specification.length) revert SpecificationFields_NotThere(offset);
        uint256 at = offset + key.length;
        // A number takes one to three bytes, and nothing follows a map's last field.
        if (at >= specification.length) revert SpecificationFields_NotThere(offset);
        if (keccak256(specification[offset:at]) != keccak256(key)) revert SpecificationFields_NotThere(offset);
        uint8 head = uint8(specification[at]);
        if (head < 24) return head;
        if (head == 24 && at + 1 < specification.length) return uint8(specification[at + 1]);
        if (head == 25 && at + 2 < specification.length) return uint16(bytes2(specification[at + 1:at + 3]));
        revert SpecificationFields_NotThere(offset);
    }
}

// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title BlockHashes
/// @notice Hashes of past blocks: of the last 256 on any chain, of the last 8191 on chains with EIP-2935.
library BlockHashes {
    /// @dev The history contract of EIP-2935.
    address internal constant HISTORY = 0x0000F90827F1C53a10cb7A02335B175320002935;

    /// @notice The hash of a block.
    /// @param blockNumber The block.
    /// @return hash Its hash, or 0 if it is unavailable (no longer, or not yet).
    function hashOf(uint256 blockNumber) internal view returns (bytes32 hash) {
        hash = blockhash(blockNumber);
        if (hash != 0 || blockNumber >= block.number) return hash;
        (bool success, bytes memory answer) = HISTORY.staticcall(abi.encode(blockNumber));
        if (success && answer.length == 32) hash = abi.decode(answer, (bytes32));
    }
}

// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title IRoundBeacons
/// @notice One random word for each round, unpredictable while the round runs.
/// @dev Two calls, both open to anyone, both in the round after: the first fixes a future block, the second records its
/// hash. `prevrandao` does not serve: it is readable in its own block only, and constant on some chains. A beacon is
/// never drawn again: a round whose beacon was not recorded in time is void.
interface IRoundBeacons {
    /// @notice State of a round's beacon.
    enum BeaconState {
        None, // its block is not fixed yet, and there is time left
        Fixed, // its block is fixed, the hash is not recorded
        Drawn, // recorded
        Void // the window was missed: no points and no penalties for this round
    }

    /// @notice Emitted when the block is fixed whose hash will be a round's beacon.
    /// @param round The round.
    /// @param blockNumber The block.
    event BeaconFixed(uint64 indexed round, uint256 blockNumber);

    /// @notice Emitted when a round's beacon is recorded.
    /// @param round The round.
    /// @param beacon The hash.
    event BeaconDrawn(uint64 indexed round, bytes32 beacon);

    /// @notice Thrown when a beacon is not fixed or drawn in the round after its own.
    /// @param round The round.
    /// @param currentRound The current round.
    error Rounds_BeaconNotDue(uint64 round, uint64 currentRound);

    /// @notice Thrown when a beacon is drawn whose block is not fixed.
    /// @param round The round.
    error Rounds_BeaconNotFixed(uint64 round);

    /// @notice Thrown when a beacon is drawn before its block has ended.
    /// @param round The round.
    /// @param blockNumber The beacon's block.
    /// @param currentBlock The current block, which must be a later one.
    error Rounds_BeaconNotReady(uint64 round, uint256 blockNumber, uint256 currentBlock);

    /// @notice Thrown when the chain no longer has the hash of a beacon's block.
    /// @param round The round, which is void.
    /// @param blockNumber The beacon's block.
    error Rounds_BeaconMissed(uint64 round, uint256 blockNumber);

    /// @notice Fixes the block whose hash will be the beacon of a round that has just ended: `BEACON_DELAY_BLOCKS`
    /// from this one. Only the first call counts; later calls change nothing, so concurrent callers do not conflict.
    /// @param round The round before the current one.
    function fixBeacon(uint64 round) external;

    /// @notice Records a round's beacon, if it is not recorded yet.
    /// @param round The round before the current one; any, where the beacon is recorded.
    /// @return beacon The beacon.
    function drawBeacon(uint64 round) external returns (bytes32 beacon);

    /// @notice The beacon of a round.
    /// @param round The round.
    /// @return beacon The beacon, or 0 if there is none (yet).
    function beaconOf(uint64 round) external view returns (bytes32 beacon);

    /// @notice State of a round's beacon.
    /// @param round The round.
    /// @return state The state.
    /// @return blockNumber The block that was fixed, 0 if none was.
    function beaconStateOf(uint64 round) external view returns (BeaconState state, uint256 blockNumber);

    /// @notice Blocks from the call that fixes a beacon to the beacon's block.
    /// @return blocks Number of blocks, at least 1.
    function BEACON_DELAY_BLOCKS() external view returns (uint256 blocks);
}

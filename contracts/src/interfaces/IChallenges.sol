// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IAppeals} from "./IAppeals.sol";
import {IChallengeBonds} from "./IChallengeBonds.sol";
import {IFalseLeaves} from "./IFalseLeaves.sol";
import {IRewardVotes} from "./IRewardVotes.sol";
import {IWithheldLeaves} from "./IWithheldLeaves.sol";

/// @title IChallenges
/// @notice Challenges of a round's outcomes.
interface IChallenges is IFalseLeaves, IWithheldLeaves, IAppeals, IChallengeBonds {
    /// @notice The contract that stores the outcomes that can be challenged.
    /// @return votes The contract.
    function rewardVotes() external view returns (IRewardVotes votes);
}
